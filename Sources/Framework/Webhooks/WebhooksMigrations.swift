/// The tables of webhooks, and the trigger for tables that have one.
package enum WebhooksMigrations {
    package static let owner = "swiftlet.webhooks"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0062_webhooks", PackageResources._062_webhooks_sql),
        ("0066_former_webhook_secrets", PackageResources._066_former_webhook_secrets_sql),
    ]
}
