extension ProjectTemplate {
    /// What runs and checks it elsewhere.
    static let deployment: [(path: String, text: String)] = [
        (
            "README.md",
            #"""
            # {{package}}

            A backend on Swiftlet, on which it depends by path: one function, one migration, one test.

            ```sh
            swift test             # against a real PostgreSQL, started for the run
            swift run {{module}} dev
            ```

            The second command makes a private PostgreSQL in `.swiftlet/`, applies `migrations/` and prints `curl` lines to paste. Both need what Swiftlet needs: run `make setup` in Swiftlet's folder once, which installs the C libraries and PostgreSQL.

            ```sh
            swift run {{module}} new function vans                      # a function, its table and its test
            swift run {{module}} generate swift -o Models.swift         # types of the tables for the app
            ```

            """#
        ),
        (
            ".gitignore",
            #"""
            .build*
            .swiftlet/
            /storage/
            .env
            Package.resolved

            """#
        ),
        (
            ".env.example",
            #"""
            # Copy to .env, which the backend and docker compose read: install -m 600 .env.example .env
            # Environment variables take precedence.

            # --- docker compose -------------------------------------------------------------------------------------------------
            # The database's password:                     echo "POSTGRES_PASSWORD=$(openssl rand -hex 24)" >> .env
            # JWT_SECRET and the two keys that go with it: docker compose run --rm --no-deps -T functions keys >> .env

            # --- without docker compose -----------------------------------------------------------------------------------------
            # DATABASE_URL=postgresql://user:password@localhost:5432/name
            # HOST=0.0.0.0

            # All settings: docs/operations.md of Swiftlet.
            # PORT=8000
            # ALLOWED_ORIGINS=https://app.example.com

            """#
        ),
        (
            "Dockerfile",
            #"""
            # Builds the backend with the official Swift image; the result is a slim Debian with the C libraries it needs. Use
            # `docker compose build`: the named context is the folder of Swiftlet, see docker-compose.yml.

            FROM swift:6.3-bookworm AS builder
            RUN apt-get update \
                && apt-get install -y --no-install-recommends libpq-dev libssl-dev libcrypt-dev libargon2-dev libcurl4-openssl-dev zlib1g-dev libpango1.0-dev libqrencode-dev libfido2-dev pkg-config \
                && rm -rf /var/lib/apt/lists/*
            WORKDIR /source/packages/backend
            COPY --from=swiftlet . {{path}}
            COPY . .
            RUN swift build -c release --product {{module}} --static-swift-stdlib \
                    -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked \
                && mkdir /app \
                && cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/{{module}}" /app/backend \
                && strip /app/backend
            COPY migrations /app/migrations

            FROM debian:bookworm-slim
            RUN apt-get update \
                && apt-get install -y --no-install-recommends libpq5 libssl3 libcrypt1 libargon2-1 libcurl4 zlib1g libpangocairo-1.0-0 libqrencode4 libfido2-1 fonts-dejavu-core libstdc++6 ca-certificates \
                && rm -rf /var/lib/apt/lists/* \
                && useradd --system --user-group --no-create-home --home-dir /app --shell /usr/sbin/nologin backend
            COPY --from=builder /app /app
            RUN install -d -o backend -g backend /app/storage
            WORKDIR /app
            USER backend
            EXPOSE 8000
            STOPSIGNAL SIGTERM
            HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["/app/backend", "healthcheck"]
            ENTRYPOINT ["/app/backend"]
            CMD ["serve"]

            """#
        ),
        (
            "docker-compose.yml",
            #"""
            # docker compose up, then: curl localhost:8000/health
            #
            # Secrets come from .env, which is not in the repository and has no defaults here. See .env.example.

            services:
              db:
                image: postgres:16
                restart: unless-stopped
                environment:
                  POSTGRES_USER: backend
                  POSTGRES_DB: backend
                  POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?set it in .env, to hexadecimal digits as "openssl rand -hex 24" prints them}
                volumes:
                  - database:/var/lib/postgresql/data
                healthcheck:
                  test: ["CMD-SHELL", "pg_isready --username=backend --dbname=backend"]
                  interval: 2s
                  timeout: 3s
                  retries: 30

              functions:
                build:
                  context: .
                  additional_contexts:
                    swiftlet: {{path}}
                restart: unless-stopped
                command: ["serve", "--migrate"]
                depends_on:
                  db:
                    condition: service_healthy
                env_file: .env
                environment:
                  HOST: 0.0.0.0
                  PORT: 8000
                  DATABASE_URL: postgresql://backend:${POSTGRES_PASSWORD:?set it in .env}@db:5432/backend
                volumes:
                  - files:/app/storage
                ports:
                  - "${PORT:-8000}:8000"
                stop_grace_period: 20s

            volumes:
              database:
              files:

            """#
        ),
        (
            ".github/workflows/ci.yml",
            #"""
            name: CI

            on:
              push:
                branches: [main]
              pull_request:

            permissions:
              contents: read

            jobs:
              test:
                runs-on: ubuntu-latest
                container: swift:6.3-bookworm
                timeout-minutes: 30
                steps:
                  # The package expects Swiftlet's folder at {{path}} of its own. The variable names Swiftlet's repository.
                  - uses: actions/checkout@v4
                    with:
                      repository: ${{ vars.SWIFTLET_REPOSITORY }}
                      path: all/swiftlet
                  - uses: actions/checkout@v4
                    with:
                      path: all/package/backend
                  - run: all/swiftlet/.ci/setup
                  - run: |
                      mkdir -p "all/package/backend/{{path}}"
                      [ -e "all/package/backend/{{path}}/Package.swift" ] || cp -R all/swiftlet/. "all/package/backend/{{path}}"
                      cd all/package/backend && swift test

            """#
        ),
    ]
}
