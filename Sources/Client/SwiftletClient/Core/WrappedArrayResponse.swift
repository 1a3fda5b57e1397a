/// A list as the server wraps it: `{"data":[…]}`, with what it says of the other pages.
public typealias WrappedArrayResponse<Item: Sendable> = Page<Item>
