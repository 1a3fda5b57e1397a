/// The place of one field in the head; the value without the white space around it.
struct Field: BitwiseCopyable, Sendable {
    let name: ByteRange
    let value: ByteRange

    static var none: Field { Field(name: .none, value: .none) }
}
