import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The statements that create the tables, for users whose role may not do so.
@Suite struct PostgresSchemaTests {
    @Test func theGuideHasTheStatements() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Documentation/SeveralHosts.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("```sql\n\(PostgresSchema.statements)\n```\n"))
    }
}

#if PostgreSQL
    /// The statements are executed before the first host opens.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresTablesTests {
        /// A role that owns nothing, and has only these rights on the tables of another role, can
        /// do everything that a shared log does.
        @Test func fourRightsOnTheTablesAreEnough() throws {
            try PostgresServer.run { server in
                try server.psql(
                    """
                    CREATE ROLE maker;
                    CREATE ROLE app LOGIN;
                    GRANT CREATE ON SCHEMA public TO maker;
                    SET ROLE maker;
                    \(PostgresSchema.statements)
                    GRANT SELECT, INSERT, UPDATE, DELETE
                    ON realmactors_head, realmactors_log, realmactors_image TO app;
                    """)
                let address = server.address.replacing("user=postgres", with: "user=app")
                for conformance in SharedLogConformance.all {
                    var ends: [PostgresSharedLog] = []
                    try conformance.check {
                        let end = try PostgresSharedLog(
                            address, realm: conformance.name, durability: .singleServer,
                            timeout: .seconds(20))
                        ends.append(end)
                        return end
                    }
                    for end in ends { end.close() }
                }
            }
        }

        @Test func statementsThatAreRunAgainChangeNothing() throws {
            try PostgresServer.run { server in
                try server.psql(PostgresSchema.statements)
                let log = try PostgresSharedLog(
                    server.address, realm: "realm", durability: .singleServer)
                #expect(try log.append([1], at: .first))
                try server.psql(PostgresSchema.statements)
                #expect(try log.append([2], at: LogSlot(2)))
                #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
                log.close()
            }
        }
    }
#endif
