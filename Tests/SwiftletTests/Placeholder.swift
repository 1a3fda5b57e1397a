import Testing

@Suite struct SwiftletPlaceholder {}
