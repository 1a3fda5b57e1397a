package import SwiftletWeb

/// `/docs`: what clients can ask for, for people. It reads `/openapi.json` and nothing else.
package enum Documentation {
    package static func function(assetsFolder: String?) -> Function {
        let assets = Assets(folder: assetsFolder)
        return Function("docs") {
            [
                Get { _, _ in assets.page("docs.html", below: "/docs") }.open(),
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
