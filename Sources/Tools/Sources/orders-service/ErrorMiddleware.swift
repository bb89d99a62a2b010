import Foundation
import HTTPTypes
import Hummingbird
import Logging
import RealmActors

/// Answers with the status of an error, and with its text where the client can do something.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as RealmError {
            let status = error.httpStatus
            if status.code < 500 { throw HTTPError(status, message: error.description) }
            // The message is for the operator; the client cannot act on it.
            context.logger.error("\(request.method) \(request.uri.path): \(error)")
            throw HTTPError(
                status, headers: status == .serviceUnavailable ? [.retryAfter: "1"] : [:],
                message: "The request failed.")
        } catch let error as DecodingError {
            throw HTTPError(.unprocessableContent, message: "\(error)")
        }
    }
}

extension RealmError {
    /// What a service answers with: the table of Documentation/Errors.md, for queries and key paths
    /// that come from requests.
    var httpStatus: HTTPResponse.Status {
        switch self {
        case .invalidQuery, .invalidKeyPath, .invalidChangeToken, .unreadableRealmFile,
            .realmFileMismatch:
            .badRequest
        case .duplicatePrimaryKey, .duplicateValues, .writeConflict, .superseded: .conflict
        case .historyTrimmed, .versionUnavailable, .invalidated: .gone
        case .invalidValue: .unprocessableContent
        case .outOfSpace, .noSpaceToOpen: .init(code: 507, reasonPhrase: "Insufficient Storage")
        case .noPrimaryKey, .invalidObject, .notInWriteTransaction, .alreadyWriting, .readOnly,
            .invalidSchema, .commitOutcomeUnknown, .invalidEncryptionKey, .encryptionUnavailable,
            .sharedLogNotEnabled:
            .internalServerError
        // What goes away by itself, or when an operator does something.
        default: .serviceUnavailable
        }
    }
}
