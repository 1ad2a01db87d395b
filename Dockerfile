FROM node:24.21.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# What an install runs.
COPY cli/after-install.cjs cli/bundle-packages.ts ./cli/
COPY src/platform/process/bundled-packages.ts ./src/platform/process/
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

# What starts a process need not strip and compile again. As the user of the processes and with their NODE_OPTIONS: Node keeps a folder for each.
FROM node:24.21.0-slim AS compiled
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=16 NODE_COMPILE_CACHE=/app/node_modules/.cache/kanal
ENV MEDIA_FOLDER=/data/media
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY . .
RUN mkdir -p node_modules/.cache/kanal && chown node:node node_modules/.cache/kanal
USER node
RUN node cli/main.ts compile && chmod -R a+rX node_modules/.cache/kanal

FROM node:24.21.0-slim
# Young objects in 16 MB at a time: by itself Node takes 64 on a large machine, 90 MB more a process for nothing that was measured.
# The cache's folder is said here too: then not even the entry needs Node's stripping of types, 17 MB.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=16 NODE_COMPILE_CACHE=/app/node_modules/.cache/kanal
ENV MEDIA_FOLDER=/data/media
WORKDIR /app
# Named here so that a volume mounted on it belongs to the user the processes run as.
RUN mkdir -p /data/media && chown node:node /data/media
COPY --from=packages /app/node_modules ./node_modules
# Owned by root: what runs cannot change its own code.
COPY . .
COPY --from=compiled /app/node_modules/.cache ./node_modules/.cache
USER node
EXPOSE 3000
# Of the web process, or of a worker that has a HEALTH_PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT || process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "api/main.ts"]
