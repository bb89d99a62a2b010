#if PostgreSQL
    /// Images take many statements, each a short transaction, on connections of their own: one that
    /// stays open would keep the server from removing what appends have left of the head row.
    ///
    /// So the parts of an image that is incomplete, or is being removed, are rows of a slot below
    /// zero, where readers do not search. The host that adds them holds a lock of that slot, which
    /// ends with its connection: this distinguishes them from the leftovers of an interrupted one.
    extension PostgresSharedLog {
        private static let imagesStatement = """
            SELECT slot, count(*), sum(octet_length(body))::bigint FROM realmactors_image
            WHERE realm = $1 AND slot > 0 GROUP BY slot ORDER BY slot DESC
            """

        package func images() throws(SharedLogError) -> [SharedLogImage] {
            let found = try reading(Self.imagesStatement, [realm])
            return (0..<found.rows).map { row in
                SharedLogImage(
                    slot: LogSlot(column: found.integer(row, 0)),
                    parts: Int(found.integer(row, 1)), bytes: Int(found.integer(row, 2)))
            }
        }

        // MARK: Adding

        private static let partInsertion = """
            INSERT INTO realmactors_image (realm, slot, part, body) VALUES ($1, $2, $3::bigint, $4)
            """

        /// Parts of incomplete images are in slots below this.
        private static let placeMax = -(Int64(1) << 62)

        private static let placeLock = "SELECT pg_try_advisory_lock($1)"

        package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
            try requireWritable()
            let connection = try connect()
            try removeHidden(connection)
            let place = PostgresValue.integer(.random(in: Int64.min..<Self.placeMax))
            _ = try connection.read(Self.placeLock, [place])
            do {
                try add(image, at: place, on: connection, part)
                try publish(image, from: place)
            } catch {
                let open = try? connection.isBroken ? connect() : connection
                _ = try? open?.read(Self.placeRemoval, [realm, place])
                throw error
            }
        }

        /// Rows that are written here are not visible before ``publish(_:from:)``, whose sync
        /// covers them.
        private func add(
            _ image: SharedLogImage, at place: PostgresValue, on connection: PostgresConnection,
            _ part: () throws -> [UInt8]?
        ) throws {
            try connection.readScript("SET synchronous_commit = off")
            var (parts, bytes) = (0, 0)
            while let body = try part() {
                _ = try connection.read(
                    Self.partInsertion, [realm, place, .integer(Int64(parts)), .bytes(body)])
                parts += 1
                bytes += body.count
            }
            guard image.describes(parts: parts, bytes: bytes) else {
                throw SharedLogError.refused(SharedLogImage.otherParts)
            }
        }

        private static let publication = """
            UPDATE realmactors_image SET slot = $3 WHERE realm = $1 AND slot = $2 AND NOT EXISTS (
                SELECT FROM realmactors_image WHERE realm = $1 AND slot = $3
            )
            """

        /// Moves the parts to the slot of the image, atomically. The bodies are not moved.
        private func publish(
            _ image: SharedLogImage, from place: PostgresValue
        ) throws(SharedLogError) {
            // After a failure, the connection is closed, which rolls back its transaction.
            let connection = try connect()
            try connection.readScript("BEGIN")
            if try moveParts(to: image.slot, from: place, on: connection) == image.parts {
                return try connection.readScript("COMMIT")
            }
            try connection.readScript("ROLLBACK")
            // Another host has added one; or the parts were taken for the leftovers of a crashed
            // host.
            _ = try connection.read(Self.placeRemoval, [realm, place])
            if try !images().contains(where: { $0.slot >= image.slot }) {
                throw .unavailable("Parts of the image were removed.")
            }
        }

        /// The number of moved parts; nil if another host has moved its own concurrently.
        private func moveParts(
            to slot: LogSlot, from place: PostgresValue, on connection: PostgresConnection
        ) throws(SharedLogError) -> Int? {
            do throws(PostgresConnection.Failure) {
                return try connection.run(Self.publication, [realm, place, .slot(slot)]).changedRows
            } catch {
                if case .undone("23505", _) = error { return nil }
                throw error.ofReading
            }
        }

        // MARK: Reading

        private static let partStatement = """
            SELECT body FROM realmactors_image
            WHERE realm = $1 AND slot = $2 AND part = $3::bigint
            """

        package func part(
            _ number: Int, of image: SharedLogImage
        ) throws(SharedLogError) -> [UInt8] {
            let found = try reading(
                Self.partStatement, [realm, .slot(image.slot), .integer(Int64(number))])
            guard found.rows == 1 else { throw .trimmed(first: try head().first) }
            return found.bytes(0, 0)
        }

        // MARK: Removing

        /// The head row is updated first, so that rows can be removed in small batches, with
        /// appends in between.
        package func trim(
            below slot: LogSlot, imagesBelow image: LogSlot?
        ) throws(SharedLogError) {
            try requireWritable()
            _ = try reading(Self.trimStatement, [realm, .slot(slot)])
            let connection = try connect()
            while try connection.read(Self.removalStatement, [realm]).changedRows > 0 {}
            // First the leftovers of an interrupted trim, which may conflict with the rows to be
            // hidden.
            try removeHidden(connection)
            guard let image else { return }
            // All parts of an image are hidden atomically, and then removed in batches.
            _ = try connection.read(Self.hiding, [realm, .slot(image)])
            try removeHidden(connection)
        }

        /// Removes hidden rows, except the parts of images that are being added.
        private func removeHidden(_ connection: PostgresConnection) throws(SharedLogError) {
            while try connection.read(Self.partRemoval, [realm]).changedRows > 0 {}
        }

        private static let trimStatement = """
            UPDATE realmactors_head SET first = least(next, greatest(first, $2)) WHERE realm = $1
            """

        private static let removalStatement = """
            DELETE FROM realmactors_log WHERE realm = $1 AND slot IN (
                SELECT slot FROM realmactors_log WHERE realm = $1
                AND slot < (SELECT first FROM realmactors_head WHERE realm = $1)
                ORDER BY slot LIMIT 500
            )
            """

        private static let hiding = """
            UPDATE realmactors_image SET slot = -slot WHERE realm = $1 AND slot > 0 AND slot < $2
            """

        private static let partRemoval = """
            WITH hidden AS MATERIALIZED (
                SELECT DISTINCT slot FROM realmactors_image WHERE realm = $1 AND slot < 0
            ), abandoned AS MATERIALIZED (
                SELECT slot FROM hidden WHERE CASE
                    WHEN slot < \(placeMax) THEN pg_try_advisory_xact_lock(slot) ELSE true
                END
            )
            DELETE FROM realmactors_image WHERE realm = $1 AND (slot, part) IN (
                SELECT slot, part FROM realmactors_image
                WHERE realm = $1 AND slot IN (SELECT slot FROM abandoned) LIMIT 64
            )
            """

        private static let placeRemoval = """
            DELETE FROM realmactors_image WHERE realm = $1 AND slot = $2
            """
    }
#endif
