// The program of an app needs this import only.
@_exported public import Swiftlet
