import Foundation
import Storage

/// Runs the transactions of one store, one after another, in the order of their arrival.
///
/// A write waits in the queue first and comes to the actor when its turn has come, so that it finds
/// the actor free and goes on in its own thread. The compiler confines the body, its
/// transaction and its objects to the actor; only the result, which is Sendable, leaves. The task
/// is the caller's: its priority and its task-local values are those of the body.
///
/// Exclusion comes from the queue alone. Live realms, compaction, migration and rekeying have the
/// turn without being on the actor, as they keep it across awaits.
///
/// A body's outcome is delivered when the version that it made, or that it started from, is
/// durable; meanwhile the next bodies run.
actor WriterActor {
    nonisolated let turns: TurnQueue

    init(turns: TurnQueue) { self.turns = turns }
}
