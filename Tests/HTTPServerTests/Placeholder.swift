import Testing

@Suite struct HTTPServerPlaceholder {}
