import Foundation
import Storage

/// Runs the transactions of one store, one after another, in the order of their arrival.
///
/// A write first waits in the queue of turns, and enters the actor only when it holds the turn: the
/// actor is then free, and the write continues on its own thread. The compiler confines the body,
/// its transaction and its objects to the actor; only the result, which is Sendable, leaves it. The
/// body runs in the caller's task, with its priority and its task-local values.
///
/// Mutual exclusion comes from the queue alone. Live realms, compaction, migration and rekeying
/// hold the turn without being isolated to the actor, because they hold it across suspension
/// points.
///
/// The result of a body is returned when the version that it made, or that it began with, is
/// durable; the next bodies run meanwhile.
actor WriterActor {
    nonisolated let turns: TurnQueue

    init(turns: TurnQueue) { self.turns = turns }
}
