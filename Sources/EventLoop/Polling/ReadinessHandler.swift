/// Receives the readiness of a registered descriptor, on the loop's thread.
package protocol ReadinessHandler: AnyObject {
    func ready(_ readiness: Readiness)
}
