import Storage

/// The commits that wait for the consumer of a change stream, and when it is to be woken.
struct ChangeStreamBuffer<Moment: Sendable, Waiter> {
    /// The commits between two moments of a stream, the second part of which is not to be reported.
    struct Step: Sendable {
        struct Part: Sendable {
            var marks: PendingMarks
            var moment: Moment
        }

        var reported: Part?
        var silenced: Part?

        /// Adds a commit that is not reported. Returns the moment that `after` replaces.
        mutating func silence(
            _ changes: ChangeSet, after: Moment, watched: Set<ClassID>
        ) -> Moment? {
            var part = silenced ?? Part(marks: PendingMarks(), moment: after)
            let replaced = silenced?.moment
            _ = part.marks.note(changes, watched: watched)
            part.moment = after
            silenced = part
            return replaced
        }
    }

    /// What the next element is made of.
    enum Next {
        /// What came up to the newest moment.
        case marks(PendingMarks)
        case step(Step)
        case nothing
    }

    var machine: ChangeStreamStateMachine<Waiter>
    /// What the consumer has not requested.
    var backlog: StreamBacklog { StreamBacklog(due: machine.due, taken: taken) }
    private let receivesEveryVersion: Bool
    private let watched: Set<ClassID>
    /// What others have folded of what it notes.
    private let folds: SharedFolds?
    /// What came after the last step.
    private var marks = PendingMarks()
    private var steps = StepQueue<Step>()
    /// What the first element is, while that is yet to be made.
    private var beginning = StreamBeginning.nothing
    /// Whether the consumer has left, so that nothing is kept for it.
    private var isAbandoned = false
    /// How often the consumer took something.
    private var taken = 0

    init(_ buffering: ChangeBuffering, watched: Set<ClassID>, sharing folds: SharedFolds? = nil) {
        machine = ChangeStreamStateMachine(isDue: false, buffering: buffering)
        receivesEveryVersion = buffering != .latest
        self.watched = watched
        self.folds = folds
    }

    /// The subscription began at `moment`. Commits may have come since, which are part of a state
    /// that it begins with, and come after a change. What it returns is to be released without a
    /// lock.
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

    /// A commit that is delivered together with what comes next.
    mutating func note(_ changes: ChangeSet) -> ChangeStreamStateMachine<Waiter>.CommitAction {
        guard marks.note(changes, watched: watched, sharing: folds) else { return .ignore }
        return receivesEveryVersion ? .keep : machine.committed()
    }

    /// A commit that led to `moment`, of a stream that reports every version. Without `changes`,
    /// the moment is that of what was noted before.
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

    /// A commit that is not reported. Also returns what it replaces, which is to be released
    /// without a lock.
    mutating func silence(
        _ changes: ChangeSet, before: Moment, after: Moment
    ) -> (ChangeStreamStateMachine<Waiter>.CommitAction, replaced: Moment?) {
        guard !isAbandoned, beginning != .state,
            changes.classes.keys.contains(where: watched.contains)
        else { return (.ignore, nil) }
        let isOwed = beginning == .change || !marks.isEmpty
        let isDue = !steps.isEmpty && !isOwed
        if isOwed {
            beginning = .nothing
            steps.append(Step(reported: .init(marks: takeMarks(), moment: before)))
        } else if steps.isEmpty {
            steps.append(Step())
        }
        let watched = watched
        let replaced = steps.updateLast {
            $0.silence(changes, after: after, watched: watched)
        }
        // Of every version it is taken together with what is due before it. Else the stream is due
        // for it, so that the version is not kept for long.
        if receivesEveryVersion, isDue { return (.keep, replaced ?? nil) }
        return (machine.committed(counts: false), replaced ?? nil)
    }

    /// Takes what the next element is made of; the stream stays due for what comes after it.
    ///
    /// `isOpen` says whether the store is open. Where it is and the stream has ended, it was
    /// reopened, perhaps with commits that the stream does not have.
    mutating func take(isOpen: Bool = true) -> Next {
        // It may leave after it was woken: what came since would be delivered without what came
        // before.
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

    /// Discards everything, for a consumer that has left; what it returns is to be released without
    /// a lock.
    mutating func abandon() -> StepQueue<Step> {
        isAbandoned = true
        marks = PendingMarks()
        defer { steps = StepQueue() }
        return steps
    }

    private mutating func takeMarks() -> PendingMarks {
        defer { marks = PendingMarks() }
        return marks
    }
}
