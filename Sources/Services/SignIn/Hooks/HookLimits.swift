/// How long hooks may take. The defaults are GoTrue's.
package struct HookLimits: Sendable {
    package var function = Duration.seconds(2)
    package var service = Duration.seconds(5)

    package init() {}
}
