import Testing

@Suite struct JSONPlaceholder {}
