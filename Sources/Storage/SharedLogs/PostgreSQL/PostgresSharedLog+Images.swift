#if PostgreSQL
    extension PostgresSharedLog {
        private static let imagesStatement = """
            SELECT slot, count(*), sum(octet_length(body))::bigint FROM realmactors_image
            WHERE realm = $1 GROUP BY slot ORDER BY slot DESC
            """

        package func images() throws(SharedLogError) -> [SharedLogImage] {
            let found = try reading(Self.imagesStatement, [realm])
            return (0..<found.rows).map { row in
                SharedLogImage(
                    slot: LogSlot(column: found.integer(row, 0)),
                    parts: Int(found.integer(row, 1)), bytes: Int(found.integer(row, 2)))
            }
        }

        private static let partInsertion = """
            INSERT INTO realmactors_image (realm, slot, part, body) VALUES ($1, $2, $3::bigint, $4)
            ON CONFLICT DO NOTHING
            """

        /// All parts come with one transaction, on a connection of its own: appends go on
        /// meanwhile.
        package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
            let connection = try connect()
            try connection.readScript("BEGIN")
            var (parts, bytes) = (0, 0)
            while let body = try part() {
                let inserted = try connection.read(
                    Self.partInsertion,
                    [realm, .slot(image.slot), .integer(Int64(parts)), .bytes(body)])
                // Another host has made one. The end of the connection undoes what is here.
                if inserted.changedRows == 0 { return }
                parts += 1
                bytes += body.count
            }
            guard image.describes(parts: parts, bytes: bytes) else {
                throw SharedLogError.refused(SharedLogImage.otherParts)
            }
            try connection.readScript("COMMIT")
        }

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

        /// The head row says first what is no longer there, so that rows can go little by little,
        /// and appends in between.
        package func trim(
            below slot: LogSlot, imagesBelow image: LogSlot?
        ) throws(SharedLogError) {
            _ = try reading(Self.trimStatement, [realm, .slot(slot)])
            while try reading(Self.removalStatement, [realm]).changedRows > 0 {}
            guard let image else { return }
            _ = try reading(
                "DELETE FROM realmactors_image WHERE realm = $1 AND slot < $2",
                [realm, .slot(image)])
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
    }
#endif
