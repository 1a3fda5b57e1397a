import Testing

@Suite struct HTTPPlaceholder {}
