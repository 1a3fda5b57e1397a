/// `{"from": …, "to"?: …, "items": […]}`
struct BusPack {
    static let framingBytes = 160

    let sender: ServerID
    private(set) var target: ServerID?
    private var items: JSONText = []

    init(from sender: ServerID) { self.sender = sender }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count + Self.framingBytes }

    mutating func add(_ item: JSONText, to target: ServerID?) {
        if !items.isEmpty { items += "," }
        items += item
        self.target = target
    }

    func finish() -> String {
        let addressee = target.map { #","to":"\#($0)""# } ?? ""
        return #"{"from":"\#(sender)"\#(addressee),"items":[\#(String(decoding: items, as: UTF8.self))]}"#
    }
}
