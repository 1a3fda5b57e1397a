import Testing

@Suite struct AuthPlaceholder {}
