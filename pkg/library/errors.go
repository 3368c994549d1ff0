package library

import "errors"

var (
	// ErrVersion means that the version of the node differs from the one that the caller expects.
	ErrVersion = errors.New("the node has a different version")
	// ErrNotFolder means that the new parent of a node is not a folder.
	ErrNotFolder = errors.New("the node is not a folder")
	// ErrCycle means that a folder would be moved into itself or into a folder below it.
	ErrCycle = errors.New("a folder cannot be moved into itself or into a folder below it")
	// ErrTrashed means that the node, or a folder above it, is in the trash.
	ErrTrashed = errors.New("the node is in the trash")
	// ErrNotTrashed means that a node to restore is not in the trash itself.
	ErrNotTrashed = errors.New("the node is not in the trash")
	// ErrTooDeep means that a node would have more than MaxDepth ancestors.
	ErrTooDeep = errors.New("the folders would be nested too deeply")
	// ErrRoot means that the root of an owner would be renamed, moved, removed or shared.
	ErrRoot = errors.New("the root folder cannot be changed")
	// ErrOwner means that a node would be moved to another owner's folder.
	ErrOwner = errors.New("the folder belongs to another owner")
	// ErrBusy means that other writes of the node kept conflicting with this one.
	ErrBusy = errors.New("the node is being changed concurrently")
	// ErrNameTaken means that another node of the folder has the name that a node would get.
	ErrNameTaken = errors.New("the folder already has a node with this name")
	// ErrName means that a name breaks a rule for names; the error that wraps it says which.
	ErrName = errors.New("the name is not allowed")
)
