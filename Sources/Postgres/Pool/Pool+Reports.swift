import EventLoop

/// What the pool does when something happens on a connection.
extension Pool {
    func take(_ report: Slot.Report, from slot: Slot) {
        switch report {
        case .isUp: connectionUp(slot)
        case .hasFailed(let error): connectionFailed(error)
        case .cancelReturned: cancelBehindLockTimeout(slot)
        case .connection(let connection, let report): take(report, of: connection, in: slot)
        }
    }

    private func take(_ report: ConnectionReport, of connection: Connection, in slot: Slot) {
        switch report {
        // Calls are never dropped, whatever has become of the connection.
        case .retry(let pending): return retry(pending)
        case .retrySoon(let pending): return retrySoon([pending])
        case .retryAsSlow(let pending): return retryAsSlow(pending)
        case .resultHasChanged: whenStale?()
        case .progress, .isFailing, .cancelHasArrived, .isReadOnly, .died: break
        }
        guard slot.connection === connection else { return }
        switch report {
        case .progress: madeProgress(slot, connection)
        case .isFailing: places[slot.index].isHeld = true
        case .cancelHasArrived: slot.cancelArrived()
        case .isReadOnly: retire(slot)
        case .died(let lost, let reason, let byAdministrator):
            connectionDied(slot, lost: lost, reason: reason, byAdministrator: byAdministrator)
        case .retry, .retrySoon, .retryAsSlow, .resultHasChanged: break
        }
    }

    private func connectionUp(_ slot: Slot) {
        places[slot.index] = LanePolicy.Place(isUp: true, depth: slot.connection?.depth ?? 0)
        if availability.connected(wanted: slots.count) { serverIsBack() }
        startWatching()
        pump()
    }

    private func madeProgress(_ slot: Slot, _ connection: Connection) {
        let index = slot.index
        places[index].depth = connection.depth
        if places[index].isStuck { places[index].isStuck = connection.isStuck(at: loop.now) }
        if connection.isCancellingBehindLock { cancelBehindLockTimeout(slot) }
        if places[index].isHeld { settle(slot) }
        pump()
    }

    private func connectionDied(_ slot: Slot, lost: [PendingQuery], reason: String, byAdministrator: Bool) {
        let wasInTransaction = slot.connection?.isInTransactionBlock ?? false
        slot.lost()
        places[slot.index] = LanePolicy.Place()
        availability.disconnected(at: loop.now)
        counts.totalConnectionsLost &+= 1
        if !isClosed { onEvent(.connectionLost(loop: loop.index, reason: reason)) }
        var repeated: [PendingQuery] = []
        for pending in lost {
            if pending.survivesLoss(byAdministrator: byAdministrator), !wasInTransaction {
                pending.markWaiting()
                repeated.append(pending)
            } else {
                pending.finish(.connectionLostAfterSending)
            }
        }
        retrySoon(repeated)
        pump()
    }
}
