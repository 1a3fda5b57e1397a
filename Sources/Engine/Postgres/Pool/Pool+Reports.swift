import SwiftletEventLoop

/// Tells ``PoolState`` what happens on a connection.
extension Pool {
    func take(_ report: PooledConnection.Report, from pooled: PooledConnection) {
        switch report {
        case .isUp:
            if let status = pooled.connection?.status { state.connectionIsUp(pooled.index, status, at: loop.now) }
        case .hasFailed(let error): state.failedToConnect(error, at: loop.now)
        case .cancelReturned:
            if let status = pooled.connection?.status { state.cancelReturned(pooled.index, status) }
        case .connection(let connection, let report): take(report, of: connection, in: pooled)
        }
        perform()
    }

    private func take(_ report: ConnectionReport, of connection: Connection, in pooled: PooledConnection) {
        switch report {
        // Calls are never dropped, whatever has become of the connection.
        case .retry(let pending): return state.retry(pending, at: loop.now)
        case .retrySoon(let pending): return state.retrySoon(pending, at: loop.now)
        case .retryAsSlow(let pending): return state.retryAsSlow(pending, at: loop.now)
        case .resultHasChanged: whenStale?()
        case .progress, .isFailing, .cancelHasArrived, .isReadOnly, .died: break
        }
        guard pooled.connection === connection else { return }
        switch report {
        case .progress: state.progressed(pooled.index, connection.status, at: loop.now)
        case .isFailing: state.isFailing(pooled.index)
        case .cancelHasArrived: state.cancelHasArrived(pooled.index)
        case .isReadOnly: state.retire(pooled.index, connection.status, at: loop.now)
        case .died(let loss):
            pooled.lost()
            state.connectionDied(pooled.index, loss, at: loop.now)
        case .retry, .retrySoon, .retryAsSlow, .resultHasChanged: break
        }
    }
}
