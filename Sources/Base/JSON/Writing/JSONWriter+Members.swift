extension JSONWriter {
    public mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        write(value)
    }

    /// Writes null for nil.
    public mutating func member(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { write(value) } else { writeNull() }
    }

    public mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        write(value)
    }

    /// Writes null for nil.
    public mutating func member(_ name: StaticString, _ value: Int?) {
        key(name)
        if let value { write(value) } else { writeNull() }
    }

    public mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        write(value)
    }

    /// Writes null for NaN and infinities.
    public mutating func member(_ name: StaticString, _ value: Double) {
        key(name)
        write(value)
    }

    public mutating func member(_ name: StaticString, _ value: JSONValue) {
        key(name)
        write(value)
    }
}
