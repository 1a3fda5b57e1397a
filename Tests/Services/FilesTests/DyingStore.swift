import Foundation
import SwiftletHTTP
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting

@testable import SwiftletFiles

/// Where a server ends as by SIGKILL.
enum DyingStep: String, CaseIterable, Codable, Sendable {
    /// Of an upload: its file is made, half written, written, and in its place.
    case begun, halfWritten, written, inPlace
    /// Of a resumable upload: its file is about to become an object's, and has become it.
    case adopting, adopted
    /// Of a purge.
    case removing, removed
    /// The row waits in PostgreSQL, and comes once the server is gone; or does not, as its session ends too.
    case rowWaits, rowLost
    /// Nobody has heard of the end.
    case done

    static let ofUploads: [DyingStep] = [.begun, .halfWritten, .written, .inPlace, .rowWaits, .rowLost, .done]
    static let ofResumables: [DyingStep] = [.adopting, .adopted, .rowWaits, .rowLost, .done]
    static let ofPurges: [DyingStep] = [.removing, .removed, .rowWaits, .rowLost, .done]

    func reached() { kill(getpid(), SIGKILL) }

    /// As a constraint that takes its time: whoever writes to the table waits for ``lock``.
    static func gate(_ table: String, _ event: String) -> String {
        """
        CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(\(lock)); RETURN coalesce(NEW, OLD); END $$;
        CREATE TRIGGER gate BEFORE \(event) ON \(table) FOR EACH ROW EXECUTE FUNCTION gate();
        """
    }

    static let lock = 32_32

    /// Those that wait for the gate of their database.
    static let waiting = """
        SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = \(lock)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    /// Ends this process as soon as one waits.
    static func dieWhileOneWaits(_ url: String) {
        onThread {
            guard let connection = try? BlockingConnection.connect(to: url) else { return }
            while (try? connection.query(waiting))?.isEmpty != false { pause(.milliseconds(5)) }
            kill(getpid(), SIGKILL)
        }
    }
}

/// A folder whose server ends at a step.
struct DyingStore: ObjectStore {
    let folder: LocalFolder
    let step: DyingStep

    var partials: PartialFolder? { folder.partials }

    func begin(_ key: ObjectKey, _ contentType: MediaType) async throws -> any ObjectUpload {
        let upload = try await folder.begin(key, contentType)
        if step == .begun { step.reached() }
        return DyingUpload(upload: upload, step: step)
    }

    func open(_ key: ObjectKey) async throws -> StoredObject? { try await folder.open(key) }

    func adopt(_ partial: ObjectKey, of partials: PartialFolder, at key: ObjectKey) async throws {
        if step == .adopting { step.reached() }
        try await folder.adopt(partial, of: partials, at: key)
        if step == .adopted { step.reached() }
    }

    func delete(_ key: ObjectKey) async throws {
        if step == .removing { step.reached() }
        try await folder.delete(key)
        if step == .removed { step.reached() }
    }

    func list(_ folder: ObjectKey?, skipping skipped: ObjectKey?, _ visit: @escaping ObjectPageVisitor) async throws {
        try await self.folder.list(folder, skipping: skipped, visit)
    }

    func probe() async throws { try await folder.probe() }
}

private struct DyingUpload: ObjectUpload {
    let upload: any ObjectUpload
    let step: DyingStep

    func append(_ bytes: [UInt8]) async throws {
        guard step == .halfWritten else { return try await upload.append(bytes) }
        try await upload.append(Array(bytes.prefix(bytes.count / 2)))
        step.reached()
    }

    func commit() async throws {
        if step == .written { step.reached() }
        try await upload.commit()
        if step == .inPlace { step.reached() }
    }

    func abandon() async { await upload.abandon() }
}
