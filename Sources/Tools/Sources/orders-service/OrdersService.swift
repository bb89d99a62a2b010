import ArgumentParser
import Foundation
import Hummingbird
import RealmActors
import ServiceLifecycle

/// The example of a service that Documentation/Services.md explains.
@main struct OrdersService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders-service",
        abstract: "Orders over HTTP, in a realm: an example of a service.")

    @Argument(help: "The folder of the store, which is created if it does not exist.")
    var store: String

    @Option(help: "The address to listen on.") var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free port.") var port = 8080

    @Option(help: "The memory budget for data read from the disk, in MiB.") var memory = 128

    func run() async throws {
        let metrics = ServiceMetrics()
        var configuration = Realm.Configuration(path: store, objectTypes: [Order.self])
        configuration.monitor = metrics
        configuration.memoryBudget = memory << 20
        // How long a client may be disconnected and still get all changes.
        configuration.history = .keep(for: .seconds(86_400))
        // Below the time-out of clients, so that they get an answer.
        configuration.writeTimeout = .seconds(10)
        let database = RealmService(configuration)
        // A store that cannot be opened ends the service before it takes any request.
        _ = try await database.realm
        var application = Application(
            router: Self.router(database, metrics),
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardError.write(Data("listening on port \(port)\n".utf8))
            })
        // Groups shut down the last service first: the server ends, then the realm is closed.
        application.services = [database]
        try await application.runService()
    }

    private static func router(
        _ database: RealmService, _ metrics: ServiceMetrics
    ) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: MetricsMiddleware(metrics: metrics))
        router.add(middleware: ErrorMiddleware())
        OrderRoutes(database: database).add(to: router)
        router.get("health") { _, _ in
            // While the disk has failed, writes are refused: a restart recovers what is proven to
            // be on the disk.
            let realm = try await database.realm
            if let failure = realm.failure { throw failure }
            return try Response.json(["version": realm.latestVersion.rawValue])
        }
        router.get("metrics") { _, _ in
            let text = metrics.text(try await database.realm)
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        return router
    }
}
