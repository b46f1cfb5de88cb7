import Testing

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Refusals")
struct RefusalTests {
    @Test(
        "an error that is not known to be final may pass",
        arguments: [
            "DynamoDB:ProvisionedThroughputExceededException", "DynamoDB:InternalServerError",
            "DynamoDB:RequestLimitExceeded",
            "Lambda:TooManyRequestsException", "Lambda:Unhandled", "ExecutionTimeout", "DeltaSyncWriteError",
            "ConflictError",
            "MaxConflicts", "InternalFailure", "ThrottlingException", "LimitExceededException", "NameOfNextYear", "",
        ])
    func temporary(errorType: String) {
        #expect(Refusal(errorType: errorType, message: "The table is busy.") == .temporary)
    }

    @Test(
        "an error about access or about the request itself is final",
        arguments: [
            ("Unauthorized", ""), ("com.amazonaws.deepdish.graphql.auth#UnauthorizedException", ""),
            ("OperationDisabled", ""), ("BadRequest", ""), ("MalformedHttpRequestException", ""), ("NotSent", ""),
            ("", "Validation error of type FieldUndefined: Field 'a' in type 'B' is undefined @ 'c/a'"),
            ("", "The variables input contains a field name 'a' that is not defined for input object type 'B'"),
            ("", "Variable 'input' has coerced Null value for NonNull type 'B!'"),
        ])
    func final(errorType: String, message: String) {
        #expect(Refusal(errorType: errorType, message: message) == .final)
    }

    @Test("a false condition is recognised with and without the name of the data source")
    func condition() {
        for source in ["", "DynamoDB:"] {
            #expect(Refusal(errorType: source + "ConditionalCheckFailedException", message: "") == .condition)
        }
        #expect(Refusal(errorType: "ConflictUnhandled", message: "") == .conflict)
        #expect(Refusal(errorType: "ResponseIncomplete", message: "") == .incomplete)
    }
}
