// On Apple's systems, Foundation has what FoundationNetworking has here. The stub stands for the module `TidelogFoundation`.
@_exported public import Foundation
@_exported public import FoundationNetworking
