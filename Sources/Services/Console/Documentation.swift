import SwiftletHTTP
package import SwiftletJSON
package import SwiftletWeb

/// `/docs`: what clients can ask for, for people. It reads `/openapi.json`, and what describes sign-in.
package enum Documentation {
    /// `signIn` is the description of `/auth/v1`; nil where it is not served.
    package static func function(assetsFolder: String?, signIn: JSONValue?) -> Function {
        let described = signIn.map { Array($0.description.utf8) }
        let assets = Assets(folder: assetsFolder)
        return Function("docs") {
            [
                Get { _, _ in assets.page("docs.html", below: "/docs") }.open(),
                Get("/auth.json") { _, _ in
                    guard let described else { throw APIError.notFound }
                    return Response(json: described)
                }
                .open(),
                Get("/a/:version/:file") { request, context in
                    guard let file = assets.response(context.parameters["file"], to: request) else {
                        throw APIError.notFound
                    }
                    return file
                }
                .open(),
            ]
        }
        .unlisted()
        .keepingDates()
    }
}
