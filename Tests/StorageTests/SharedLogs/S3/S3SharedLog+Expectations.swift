#if S3
    import Testing

    @testable import Storage

    extension S3SharedLog {
        /// Expects that an append has an unknown outcome.
        func expectUnknownOutcome(
            of entry: [UInt8] = [1], at slot: LogSlot = .first,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(sourceLocation: sourceLocation) {
                try self.append(entry, at: slot)
            } throws: { error in
                if case SharedLogError.outcomeUnknown = error { true } else { false }
            }
        }
    }
#endif
