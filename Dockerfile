# Builds Swiftlet with the official Swift image. The result is a slim Debian with the C libraries it needs, without Swift.
#
#   docker build -t swiftlet .
#   docker run --rm swiftlet keys

FROM swift:6.3-bookworm AS builder
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpq-dev libssl-dev libcrypt-dev libargon2-dev libcurl4-openssl-dev zlib1g-dev libpango1.0-dev libqrencode-dev libfido2-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Dependencies first, so that they are only fetched again when the manifest changes: the versions that all tests have run
# with. They are named here and not in a Package.resolved, because that names commits, which mirrors do not share.
COPY Package.swift ./
RUN mkdir -p Sources Tests \
    && swift package resolve \
    && swift package resolve swift-argument-parser --version 1.8.2 \
    && swift package resolve swift-log --version 1.16.2
COPY Sources Sources
COPY Tests Tests
# The same flags as in the Makefile.
RUN swift build -c release --product swiftlet --static-swift-stdlib \
        -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked \
    && mkdir /app \
    && cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/swiftlet" /app/swiftlet \
    && strip /app/swiftlet
COPY migrations /app/migrations

FROM debian:bookworm-slim
# More Debian packages: libvips-tools to render images, postgresql-client to make backups.
ARG PACKAGES=""
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpq5 libssl3 libcrypt1 libargon2-1 libcurl4 zlib1g libpangocairo-1.0-0 libqrencode4 libfido2-1 fonts-dejavu-core libstdc++6 tzdata ca-certificates $PACKAGES \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --user-group --no-create-home --home-dir /app --shell /usr/sbin/nologin swiftlet
COPY --from=builder /app /app
RUN ln -s /app/swiftlet /usr/local/bin/swiftlet && install -d -o swiftlet -g swiftlet /app/storage
WORKDIR /app
USER swiftlet
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["swiftlet", "healthcheck"]
ENTRYPOINT ["swiftlet"]
CMD ["serve"]
