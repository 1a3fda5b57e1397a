/// Is told once when the current turn's events and jobs are done, before the loop waits again.
package protocol TurnObserver: AnyObject {
    func turnEnded()
}
