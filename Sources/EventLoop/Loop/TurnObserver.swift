/// Notified once after the events and jobs of the current turn, before the loop waits again.
package protocol TurnObserver: AnyObject {
    func turnEnded()
}
