import Testing

@testable import TidelogAgreement

@Suite("Names")
struct NamesTests {
    @Test("operations are named after their model and its plural")
    func operations() {
        let names = OperationNames(model: "Category")
        #expect([names.get, names.list, names.sync] == ["getCategory", "listCategories", "syncCategories"])
        #expect([names.create, names.update, names.delete] == ["createCategory", "updateCategory", "deleteCategory"])
        #expect(
            [names.onCreate, names.onUpdate, names.onDelete] == [
                "onCreateCategory", "onUpdateCategory", "onDeleteCategory",
            ])
        let lower = OperationNames(model: "person")
        #expect([lower.get, lower.list, lower.onCreate] == ["getPerson", "listPeople", "onCreatePerson"])
    }

    @Test("a subscription name of more than 50 characters keeps 45 and ends with five characters of its hash")
    func longNames() {
        let fitting = OperationNames(model: "ModelWhoseNameIsAsLongAsASubscriptionTakes")
        #expect(fitting.onCreate == "onCreateModelWhoseNameIsAsLongAsASubscriptionTakes")
        #expect(fitting.onCreate.count == 50)
        let long = OperationNames(model: "VeryLongModelNameThatGoesBeyondFiftyCharacters")
        #expect(long.onCreate == "onCreateVeryLongModelNameThatGoesBeyondFiftyCd58a2")
        #expect(long.onCreate.count == 50 && long.onDelete.count == 50)
        #expect(long.create == "createVeryLongModelNameThatGoesBeyondFiftyCharacters")
    }

    @Test("queries of indexes are named after the plural and the fields")
    func indexes() {
        #expect(Names.index(of: "Comment", ["postId", "createdAt"]) == "commentsByPostIdAndCreatedAt")
        #expect(Names.index(of: "Person", ["name"]) == "peopleByName")
        #expect(Names.compositeSortArgument(["length", "width", "Weight"]) == "lengthWidthWeight")
    }

    @Test("foreign keys are named after the relation and the key that they contain")
    func foreignKeys() {
        #expect(Names.foreignKey(of: "Project", "team", keyField: "id") == "projectTeamId")
        #expect(Names.foreignKey(of: "Post", "comments", keyField: "postTitle") == "postCommentsPostTitle")
        #expect(Names.joinFields(for: "Post", key: ["customPostId", "title"]) == ["postCustomPostId", "posttitle"])
        #expect(Names.joinRelation(to: "BlogPost") == "blogPost")
        #expect(Names.joinIndex(by: "BlogPost") == "byBlogPost")
    }

    @Test("a model whose name begins with a lower-case letter has types that begin with an upper-case letter")
    func lowerCase() {
        let names = TypeNames(model: "lowerCase")
        #expect([names.connection, names.filter] == ["ModelLowerCaseConnection", "ModelLowerCaseFilterInput"])
        #expect(names.condition == "ModelLowerCaseConditionInput")
        #expect(names.subscriptionFilter == "ModelSubscriptionLowerCaseFilterInput")
        #expect([names.createInput, names.updateInput] == ["CreateLowerCaseInput", "UpdateLowerCaseInput"])
        #expect(names.deleteInput == "DeleteLowerCaseInput")
        // Amplify's transformer does not change the first letter in these names.
        #expect(names.compositeKeyCondition(index: nil) == "ModellowerCasePrimaryCompositeKeyConditionInput")
        #expect(names.compositeKeyInput(index: "byDate") == "ModellowerCaseByDateCompositeKeyInput")
        #expect(Names.foreignKey(of: "lowerCase", "parts", keyField: "id") == "lowerCasePartsId")
        #expect(Names.joinIndex(by: "lowerCase") == "byLowerCase")
        #expect(Names.index(of: "lowerCase", ["title"]) == "lowerCasesByTitle")
    }

    @Test("types of an API are named after their model")
    func types() {
        let names = TypeNames(model: "Post")
        #expect([names.connection, names.filter] == ["ModelPostConnection", "ModelPostFilterInput"])
        #expect(names.condition == "ModelPostConditionInput")
        #expect(names.subscriptionFilter == "ModelSubscriptionPostFilterInput")
        #expect([names.createInput, names.updateInput] == ["CreatePostInput", "UpdatePostInput"])
        #expect(names.deleteInput == "DeletePostInput")
        #expect(names.compositeKeyCondition(index: nil) == "ModelPostPrimaryCompositeKeyConditionInput")
        #expect(names.compositeKeyInput(index: "byDate") == "ModelPostByDateCompositeKeyInput")
        #expect(TypeNames.filter(of: "AWSEmail") == "ModelStringInput")
        #expect(TypeNames.filter(of: "Status") == "ModelStatusInput")
        #expect(TypeNames.listFilter(of: "Status") == "ModelStatusListInput")
        #expect(TypeNames.subscriptionFilter(of: "AWSTimestamp") == "ModelSubscriptionIntInput")
        #expect(TypeNames.subscriptionFilter(of: "Status") == "ModelSubscriptionStringInput")
        #expect(TypeNames.keyCondition(of: "AWSDateTime") == "ModelStringKeyConditionInput")
    }
}

@Suite("OperationNames.MD5")
struct MD5Tests {
    @Test(
        "hashes are the same as in RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ])
    func vectors(_ text: String, _ hash: String) {
        let bytes = OperationNames.MD5.hash(of: Array(text.utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hash)
    }
}
