import Testing

@Suite struct MigrationsPlaceholder {}
