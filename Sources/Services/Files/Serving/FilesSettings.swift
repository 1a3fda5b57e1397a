package import SwiftletAuth
package import SwiftletWeb

/// How `/storage/v1` is served.
package struct FilesSettings: Sendable {
    /// The role of requests without a token (`REST_ANON_ROLE`).
    package var anonymousRole = "anon"
    /// Whether names may have letters and digits beyond ASCII (`STORAGE_UNICODE_NAMES`).
    package var allowsUnicodeNames = true
    /// How long files stay whose rows are gone or have other content (`STORAGE_PURGE_AFTER`).
    package var purgeAge = Duration.seconds(24 * 3600)
    /// The largest object that comes in several requests (`MAX_RESUMABLE_BYTES`), in bytes.
    package var maximumResumableBytes = 5 << 30
    /// How many resumable uploads one caller may have begun and not finished.
    var mostOpenUploads = 1000
    /// What all of these may come to (`MAX_OPEN_UPLOAD_BYTES`), in bytes, whether it has come or not.
    package var maximumOpenBytes = 20 << 30
    /// The folder where Supabase has stored what its rows name, `bucket/name/version` (`STORAGE_SUPABASE_PATH`).
    package var supabasePath: String?
    package var images = ImageSettings()
    /// The proxies whose `X-Forwarded-For` says who asks (`TRUSTED_PROXIES`).
    package var trustedProxies: TrustedProxies?
    /// Gives what links to objects are signed with, which changes when the server's key does, and then what other
    /// servers sign them with during a rotation; nil where the server has no secret, and so no links.
    package var linkSecrets: (@Sendable () -> [Secret])?

    package init() {}
}
