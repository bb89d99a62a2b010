import Storage

/// The commits that wait for the consumer of a change stream, and the state machine that wakes it.
struct ChangeStreamBuffer<Moment: Sendable, Waiter> {
    /// The commits between two moments of a stream: first those to report, then silenced ones.
    struct Step: Sendable {
        struct Part: Sendable {
            var marks: PendingMarks
            var moment: Moment
        }

        var reported: Part?
        var silenced: Part?

        /// Adds a silenced commit. Returns the moment that `after` replaces.
        mutating func silence(
            _ changes: ChangeSet, after: Moment, watched: Set<ClassID>, row: RowKey?
        ) -> Moment? {
            var part = silenced ?? Part(marks: PendingMarks(of: row), moment: after)
            let replaced = silenced?.moment
            _ = part.marks.note(changes, watched: watched)
            part.moment = after
            silenced = part
            return replaced
        }
    }

    /// The input of the next element.
    enum Next {
        /// All commits up to the newest moment.
        case marks(PendingMarks)
        case step(Step)
        case nothing
    }

    var machine: ChangeStreamStateMachine<Waiter>
    /// What the consumer has not requested.
    var backlog: StreamBacklog { StreamBacklog(due: machine.due, taken: taken) }
    private let receivesEveryVersion: Bool
    private let watched: Set<ClassID>
    /// The only row that is watched; nil for all rows.
    private let row: RowKey?
    /// The folds that it shares with other streams.
    private let folds: SharedFolds?
    /// The commits after the last step.
    private var marks: PendingMarks
    private var steps = StepQueue<Step>()
    /// The kind of the first element, until it was made.
    private var beginning = StreamBeginning.nothing
    /// Whether the consumer has ended the subscription, so that nothing is kept for it.
    private var isAbandoned = false
    /// How often the consumer took something.
    private var taken = 0

    init(
        _ buffering: ChangeBuffering, watched: Set<ClassID>, row: RowKey? = nil,
        sharing folds: SharedFolds? = nil
    ) {
        machine = ChangeStreamStateMachine(isDue: false, buffering: buffering)
        receivesEveryVersion = buffering != .latest
        self.watched = watched
        self.row = row
        self.folds = folds
        marks = PendingMarks(of: row)
    }

    /// The subscription began at `moment`. If it begins with a state, that includes the commits
    /// since; if it begins with a change, they come after it. The caller releases the result
    /// outside of the lock.
    mutating func begin(at moment: Moment, with beginning: StreamBeginning) -> StepQueue<Step> {
        var replaced = StepQueue<Step>()
        if beginning == .nothing { return replaced }
        machine.begin()
        if receivesEveryVersion || beginning == .change && !steps.isEmpty {
            steps.prepend(Step(reported: .init(marks: PendingMarks(), moment: moment)))
        } else {
            self.beginning = beginning
            swap(&steps, &replaced)
        }
        return replaced
    }

    /// A commit that is delivered together with later ones.
    mutating func note(_ changes: ChangeSet) -> ChangeStreamStateMachine<Waiter>.CommitAction {
        guard marks.note(changes, watched: watched, sharing: folds) else { return .ignore }
        return receivesEveryVersion ? .keep : machine.committed()
    }

    /// A commit that led to `moment`, for a stream that reports every version. Without `changes`,
    /// it is the moment after the commits that were noted before.
    mutating func append(
        _ changes: ChangeSet?, at moment: Moment
    ) -> ChangeStreamStateMachine<Waiter>.CommitAction {
        if let changes { _ = marks.note(changes, watched: watched, sharing: folds) }
        let reported = takeMarks()
        if reported.isEmpty { return .ignore }
        let action = machine.committed()
        switch action {
        case .keep, .wake: steps.append(Step(reported: .init(marks: reported, moment: moment)))
        case .overflow, .ignore: break
        }
        return action
    }

    /// A silenced commit. The caller releases the replaced moment outside of the lock.
    mutating func silence(
        _ changes: ChangeSet, before: Moment, after: Moment
    ) -> (ChangeStreamStateMachine<Waiter>.CommitAction, replaced: Moment?) {
        guard !isAbandoned, beginning != .state,
            changes.classes.keys.contains(where: watched.contains)
        else { return (.ignore, nil) }
        let hasPendingChange = beginning == .change || !marks.isEmpty
        let isDue = !steps.isEmpty && !hasPendingChange
        if hasPendingChange {
            beginning = .nothing
            steps.append(Step(reported: .init(marks: takeMarks(), moment: before)))
        } else if steps.isEmpty {
            steps.append(Step())
        }
        let (watched, row) = (watched, row)
        let replaced = steps.updateLast {
            $0.silence(changes, after: after, watched: watched, row: row)
        }
        // A stream of every version takes it together with the element before it. Otherwise the
        // consumer is woken, so that the version is not held for long.
        if receivesEveryVersion, isDue { return (.keep, replaced ?? nil) }
        return (machine.committed(counts: false), replaced ?? nil)
    }

    /// Takes the input of the next element. The stream stays due if there is more.
    ///
    /// `isOpen` says whether the store is open. If it is and the stream has ended, the store was
    /// reopened, perhaps with commits that the stream has not noted.
    mutating func take(isOpen: Bool = true) -> Next {
        // The consumer may end the subscription after it was woken; later commits must not be
        // delivered without the discarded ones.
        if isAbandoned { return .nothing }
        if isOpen, machine.isOver, !receivesEveryVersion { return .nothing }
        taken += 1
        let step = steps.popFirst()
        if receivesEveryVersion { return step.map { .step($0) } ?? .nothing }
        beginning = .nothing
        machine.taken()
        guard let step else { return .marks(takeMarks()) }
        if !steps.isEmpty || !marks.isEmpty { _ = machine.committed() }
        return .step(step)
    }

    /// Discards everything when the subscription ends. The caller releases the result outside of
    /// the lock.
    mutating func abandon() -> StepQueue<Step> {
        isAbandoned = true
        marks = PendingMarks()
        defer { steps = StepQueue() }
        return steps
    }

    private mutating func takeMarks() -> PendingMarks {
        defer { marks = PendingMarks(of: row) }
        return marks
    }
}
