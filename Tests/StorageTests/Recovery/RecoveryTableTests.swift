import Testing

@testable import Storage

@Suite struct RecoveryTableTests {
    static let everyEvidence: [RecoveryEvidence] = RecoveryEvidence.Cursor.allCases.flatMap {
        cursor in
        RecoveryEvidence.Sequence.allCases.flatMap { sequence in
            [false, true].flatMap { isProven in
                [false, true].map { hasOpenParts in
                    RecoveryEvidence(
                        cursor: cursor, sequence: sequence, isProven: isProven,
                        hasOpenParts: hasOpenParts)
                }
            }
        }
    }

    @Test func everyCombinationHasAVerdict() {
        for evidence in Self.everyEvidence {
            #expect(
                RecoveryTable.rows.contains { $0.matches(evidence) }, "no row for \(evidence)")
        }
    }

    @Test func everyRowIsReached() {
        let labels = Set(Self.everyEvidence.map { RecoveryTable.row(for: $0).label })
        #expect(labels == Set(RecoveryTable.rows.map(\.label)))
    }

    @Test func durableBytesAreNeverCut() {
        for evidence in Self.everyEvidence where evidence.isProven {
            guard evidence.cursor == .zeros || evidence.cursor == .bad else { continue }
            #expect(RecoveryTable.row(for: evidence).verdict == .corruption)
        }
    }

    @Test(
        arguments: [
            (.recordedEnd, .successor, false, false, .continueInSuccessor),
            (.zeros, .successor, false, false, .corruption),
            (.bad, .broken, false, false, .corruption),
            (.bad, .newest, true, false, .corruption),
            (.brokenLink, .newest, false, false, .corruption),
            (.zeros, .unusableBehind, false, false, .ignoreUnusableSegments),
            (.zeros, .newest, false, false, .cleanEnd),
            (.zeros, .newest, false, true, .abandonedTransaction),
            (.endsParts, .successor, false, true, .abandonedTransaction),
            (.bad, .newest, false, false, .tornGroup),
            (.bad, .unusableBehind, false, true, .tornGroup),
        ] as [(RecoveryEvidence.Cursor, RecoveryEvidence.Sequence, Bool, Bool, RecoveryVerdict)])
    func row(
        cursor: RecoveryEvidence.Cursor, sequence: RecoveryEvidence.Sequence, isProven: Bool,
        hasOpenParts: Bool, verdict: RecoveryVerdict
    ) {
        let evidence = RecoveryEvidence(
            cursor: cursor, sequence: sequence, isProven: isProven, hasOpenParts: hasOpenParts)
        #expect(RecoveryTable.row(for: evidence).verdict == verdict)
    }
}
