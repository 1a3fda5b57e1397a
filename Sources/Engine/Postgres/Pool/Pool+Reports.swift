import SwiftletEventLoop

/// Tells ``PoolState`` what happens on a connection.
extension Pool {
    func take(_ report: Slot.Report, from slot: Slot) {
        switch report {
        case .isUp:
            if let status = slot.connection?.status { state.connectionIsUp(slot.index, status, at: loop.now) }
        case .hasFailed(let error): state.failedToConnect(error, at: loop.now)
        case .cancelReturned:
            if let status = slot.connection?.status { state.cancelReturned(slot.index, status) }
        case .connection(let connection, let report): take(report, of: connection, in: slot)
        }
        perform()
    }

    private func take(_ report: ConnectionReport, of connection: Connection, in slot: Slot) {
        switch report {
        // Calls are never dropped, whatever has become of the connection.
        case .retry(let pending): return state.retry(pending, at: loop.now)
        case .retrySoon(let pending): return state.retrySoon(pending, at: loop.now)
        case .retryAsSlow(let pending): return state.retryAsSlow(pending, at: loop.now)
        case .resultHasChanged: whenStale?()
        case .progress, .isFailing, .cancelHasArrived, .isReadOnly, .died: break
        }
        guard slot.connection === connection else { return }
        switch report {
        case .progress: state.progressed(slot.index, connection.status, at: loop.now)
        case .isFailing: state.isFailing(slot.index)
        case .cancelHasArrived: state.cancelHasArrived(slot.index)
        case .isReadOnly: state.retire(slot.index, connection.status, at: loop.now)
        case .died(let loss):
            slot.lost()
            state.connectionDied(slot.index, loss, at: loop.now)
        case .retry, .retrySoon, .retryAsSlow, .resultHasChanged: break
        }
    }
}
