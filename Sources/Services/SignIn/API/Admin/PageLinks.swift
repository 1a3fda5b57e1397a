import SwiftletHTTP
import SwiftletWeb

extension Response {
    /// Adds the headers by which clients turn pages: how many entries there are in all, the next page and the last one.
    mutating func addPages(of path: String, _ page: Int, _ request: Request, limit: Int, total: Int) {
        headers.append("X-Total-Count", String(total))
        let size = request.query["per_page"]?.isEmpty == false ? "&per_page=\(limit)" : ""
        let last = (total + limit - 1) / limit
        var links = page < last ? ["<\(path)?page=\(page + 1)\(size)>; rel=\"next\""] : []
        links.append("<\(path)?page=\(last)\(size)>; rel=\"last\"")
        headers.append("Link", links.joined(separator: ", "))
    }
}
