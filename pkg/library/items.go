package library

import (
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Kind is the type of a node.
type Kind string

// Kinds of nodes.
const (
	KindUser   Kind = "User" // the root of an owner
	KindFolder Kind = "Folder"
	KindFile   Kind = "File"
	KindModel  Kind = "Model" // a file whose content is a TrainingRequest
	KindRecord Kind = "Record"
)

// Node is an item of the nodes table. Times are in TimeLayout. TrashedFrom, DeletedAt and Run are
// not in the seed.
type Node struct {
	ID          string       `dynamodbav:"id"` // a file has the id of its node
	Type        Kind         `dynamodbav:"type"`
	SubType     extract.Type `dynamodbav:"subType,omitempty"`      // the workflow type of a file
	TypeOwnedBy string       `dynamodbav:"type#ownedBy,omitempty"` // absent in the trash
	Name        string       `dynamodbav:"name"`
	DisplayName string       `dynamodbav:"displayName,omitempty"`
	OwnedBy     string       `dynamodbav:"ownedBy"`
	CreatedBy   string       `dynamodbav:"createdBy"`
	UpdatedBy   string       `dynamodbav:"updatedBy"`

	// ParentID is the id of a folder or the root; trashOf or eraseOf the owner for a node that is in the trash or
	// being erased.
	ParentID    string `dynamodbav:"parentId,omitempty"`
	TrashedFrom string `dynamodbav:"trashedFrom,omitempty"`
	IsDeleted   bool   `dynamodbav:"isDeleted"`
	DeletedAt   string `dynamodbav:"deletedDateTime,omitempty"`

	Status       lifecycle.State `dynamodbav:"status"`
	Run          int64           `dynamodbav:"run,omitempty"` // run of the file's workflow: the fence of its moves
	Blob         *Blob           `dynamodbav:"blob,omitempty"`
	Images       []Image         `dynamodbav:"images,omitempty"`
	TotalRecords int64           `dynamodbav:"totalRecords,omitempty"`

	Permissions Permissions `dynamodbav:"accessPermissions"`

	Version   int64  `dynamodbav:"version"` // incremented by every write; 0 before the first
	CreatedAt string `dynamodbav:"createdDateTime"`
	UpdatedAt string `dynamodbav:"updatedDateTime"`

	// These fields are set only for roots.
	FirstName string `dynamodbav:"firstName,omitempty"`
	LastName  string `dynamodbav:"lastName,omitempty"`
	LoginName string `dynamodbav:"loginName,omitempty"`
	Email     string `dynamodbav:"email,omitempty"`
	Avatar    string `dynamodbav:"avatar,omitempty"`
}

// Blob locates the bytes of a file.
type Blob struct {
	ID     string `dynamodbav:"id"`
	Bucket string `dynamodbav:"bucket"`
	Key    string `dynamodbav:"key"`
	Length int64  `dynamodbav:"length"`
	MD5    string `dynamodbav:"md5,omitempty"`
}

// Image is a picture that was derived from a file.
type Image struct {
	ID       string `dynamodbav:"id"`
	Key      string `dynamodbav:"key"`
	Width    int    `dynamodbav:"width"`
	Height   int    `dynamodbav:"height"`
	MimeType string `dynamodbav:"mimeType"`
	Length   int64  `dynamodbav:"length"`
}

// Permissions define who, besides the owner, may read a node and everything below it.
type Permissions struct {
	IsPublic bool     `dynamodbav:"isPublic"`
	Users    []string `dynamodbav:"users,stringset,omitempty"`
	Groups   []string `dynamodbav:"groups,stringset,omitempty"`
	// Epoch is the epoch of valid links; revoking all links increments it.
	Epoch int64 `dynamodbav:"epoch"`
	// Links are the expiry times, in epoch seconds, of the links of the current epoch, oldest first. Expired links are
	// dropped when a link is added.
	Links []int64 `dynamodbav:"links,omitempty"`
}

// IsFile reports whether the node has a file, with content and a workflow.
func (n Node) IsFile() bool { return n.Type == KindFile || n.Type == KindModel }

// IsFolder reports whether the node can have children.
func (n Node) IsFolder() bool { return n.Type == KindFolder || n.Type == KindUser }

// ETag returns the entity tag of the node as read.
func (n Node) ETag() string { return `"v` + strconv.FormatInt(n.Version, 10) + `"` }

// Erasing reports whether the node is being erased, which cannot be undone.
func (n Node) Erasing() bool { return strings.HasPrefix(n.ParentID, erasePrefix) }

// TrashedBefore reports whether the node was put into the trash before t. A sweep erases such nodes.
func (n Node) TrashedBefore(t time.Time) bool {
	trashed := at(n.DeletedAt)
	return n.IsDeleted && !n.Erasing() && trashed != nil && trashed.Before(t)
}

// File is an item of the files table. Times are in TimeLayout. Run, ErrorMessage, SHA256,
// ContentType, Options, Key, ETag and Origin are not in the seed. ErrorMessage says why the file is Failed, or what is missing from a
// ProcessedPartially one.
type File struct {
	ID           string          `dynamodbav:"id"`
	Bucket       string          `dynamodbav:"bucket"`
	BlobID       string          `dynamodbav:"blobId"`
	Key          string          `dynamodbav:"key"`
	ETag         string          `dynamodbav:"etag,omitempty"` // entity tag of the object; empty while Loading
	OwnedBy      string          `dynamodbav:"ownedBy"`
	CreatedBy    string          `dynamodbav:"createdBy"`
	UpdatedBy    string          `dynamodbav:"updatedBy"`
	ParentID     string          `dynamodbav:"parentId"` // same as the node's
	Name         string          `dynamodbav:"fileName"` // same as the node's
	Length       int64           `dynamodbav:"length"`   // size in bytes; -1 for a streamed upload until it is Loaded
	MD5          string          `dynamodbav:"md5,omitempty"`
	SHA256       string          `dynamodbav:"sha256,omitempty"`
	ContentType  string          `dynamodbav:"contentType,omitempty"` // as declared
	Options      *ReadOptions    `dynamodbav:"options,omitempty"`     // nil if all are open
	Origin       string          `dynamodbav:"origin,omitempty"`      // URL of the content to fetch; once the content is stored, the URL after redirects
	IsDeleted    bool            `dynamodbav:"isDeleted"`
	Type         extract.Type    `dynamodbav:"type"` // workflow type
	Status       lifecycle.State `dynamodbav:"status"`
	Run          int64           `dynamodbav:"run"` // the fence of its moves
	ErrorMessage string          `dynamodbav:"errorMessage,omitempty"`
	Images       []Image         `dynamodbav:"images,omitempty"`
	Metadata     table.Document  `dynamodbav:"metadata,omitempty"`
	Version      int64           `dynamodbav:"version"`
	CreatedAt    string          `dynamodbav:"createdDateTime"`
	UpdatedAt    string          `dynamodbav:"updatedDateTime"`
}

// Unfetched reports whether the content of the file has not been fetched from its Origin yet.
func (f File) Unfetched() bool { return f.Origin != "" && f.ETag == "" }

// Final reports whether only a retry, a reprocessing or an erasure can change the state of the file.
func (f File) Final() bool { return Machine().IsFinal(f.Status) }

// MetadataLookalike is the metadata field with the hash of a picture, of package lookalike.
const MetadataLookalike = "lookalike"

// MetadataPlace is the metadata field with the location of a photo, which only the owner may see.
const MetadataPlace = "gps"

// Erasing reports whether the file is being erased.
func (f File) Erasing() bool { return f.ParentID == eraseOf(f.OwnedBy) }

// Created returns the time when the node was created.
func (n Node) Created() time.Time { return when(n.CreatedAt) }

// Updated returns the time when the node was last written.
func (n Node) Updated() time.Time { return when(n.UpdatedAt) }

// Created returns the time when the file was reserved.
func (f File) Created() time.Time { return when(f.CreatedAt) }

// Updated returns the time when the file was last written.
func (f File) Updated() time.Time { return when(f.UpdatedAt) }
