/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    public var data: [Item]
    /// How many there are on all pages.
    public var total: Int?
    /// Counted from 1.
    public var page: Int?
    public var limit: Int?
    public var hasMore: Bool?
    /// Of notifications: how many nobody has read, on all pages.
    public var unread: Int?

    public init(
        data: [Item],
        total: Int? = nil,
        page: Int? = nil,
        limit: Int? = nil,
        hasMore: Bool? = nil,
        unread: Int? = nil
    ) {
        self.data = data
        self.total = total
        self.page = page
        self.limit = limit
        self.hasMore = hasMore
        self.unread = unread
    }
}

extension Page: Equatable where Item: Equatable {}

extension Page: Decodable where Item: Decodable {
    private enum CodingKeys: String, CodingKey {
        case data, total, page, limit, hasMore, unread
        /// For decoders that leave keys as they are.
        case sentHasMore = "has_more"
    }

    /// From `{"data":[…],…}`, or from a bare array, which is the only page.
    public init(from decoder: any Decoder) throws {
        guard let members = try? decoder.container(keyedBy: CodingKeys.self) else {
            self.init(data: try [Item](from: decoder))
            return
        }
        self.init(
            data: try members.decode([Item].self, forKey: .data),
            total: try members.decodeIfPresent(Int.self, forKey: .total),
            page: try members.decodeIfPresent(Int.self, forKey: .page),
            limit: try members.decodeIfPresent(Int.self, forKey: .limit),
            hasMore: try members.decodeIfPresent(Bool.self, forKey: .hasMore)
                ?? members.decodeIfPresent(Bool.self, forKey: .sentHasMore),
            unread: try members.decodeIfPresent(Int.self, forKey: .unread)
        )
    }
}
