package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// NewFolder describes a folder to create.
type NewFolder struct {
	Name     string `json:"name"`
	ParentID string `json:"parentId,omitempty"` // empty means the root
	Key      string `json:"-"`                  // see Reservation
}

// CreateFolder creates a folder.
func (c *Client) CreateFolder(ctx context.Context, f NewFolder) (Node, error) {
	var n Node
	err := c.do(ctx, reservation("library/folders", f.Key, f), &n)
	return n, err
}

// NewPage describes a page to import.
type NewPage struct {
	URL      string `json:"url"`
	Name     string `json:"name,omitempty"`     // empty means the name in the URL
	ParentID string `json:"parentId,omitempty"` // empty means the root
	Key      string `json:"-"`                  // see Reservation
}

// ImportPage creates a file for the page at a URL. The server fetches the page asynchronously.
func (c *Client) ImportPage(ctx context.Context, p NewPage) (Node, error) {
	var n Node
	err := c.do(ctx, reservation("library/pages", p.Key, p), &n)
	return n, err
}

// NodeChange describes a change to a node; nil fields are not changed.
type NodeChange struct {
	Name        *string `json:"name,omitempty"`
	DisplayName *string `json:"displayName,omitempty"`
	ParentID    *string `json:"parentId,omitempty"`
	// UniqueName rejects a new name or folder with the problem name-taken if another node of the folder has the name.
	UniqueName bool  `json:"uniqueName,omitempty"`
	Version    int64 `json:"-"` // version that the node must still have; 0 means any
}

// ChangeNode renames a node, moves it, or sets its display name.
func (c *Client) ChangeNode(ctx context.Context, id string, change NodeChange) (Node, error) {
	op := call{method: http.MethodPatch, path: join("library", "nodes", id), body: change}
	if change.Version > 0 {
		op.header = http.Header{"If-Match": {`"v` + strconv.FormatInt(change.Version, 10) + `"`}}
		op.once = true // repeating a successful change would be rejected
	}
	var n Node
	err := c.do(ctx, op, &n)
	return n, err
}

// ReprocessLibraryFile processes a Processed file again.
func (c *Client) ReprocessLibraryFile(ctx context.Context, id string) (Node, error) {
	return c.ReprocessLibraryFileAs(ctx, id, nil)
}

// ReprocessLibraryFileAs processes a Processed file again, with options instead of those that it has. Nil keeps those.
func (c *Client) ReprocessLibraryFileAs(ctx context.Context, id string, o *ReadOptions) (Node, error) {
	return c.processAgain(ctx, id, "reprocess", o)
}

func (c *Client) processAgain(ctx context.Context, id, verb string, o *ReadOptions) (Node, error) {
	again := call{method: http.MethodPost, path: join("library", "files", id, verb), once: true}
	if o != nil {
		again.body = map[string]*ReadOptions{"options": o}
	}
	var n Node
	err := c.do(ctx, again, &n)
	return n, err
}

// RetryLibraryStep runs one failed step of a file again and keeps the results of the others.
func (c *Client) RetryLibraryStep(ctx context.Context, id, step string) (Node, error) {
	var n Node
	err := c.do(ctx, call{method: http.MethodPost, path: join("library", "files", id, "workflow", "steps", step, "retry"), once: true}, &n)
	return n, err
}

// TrashNode moves a node to the trash. It returns nil if the node does not exist.
func (c *Client) TrashNode(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("library", "nodes", id)}, nil)
}

// EraseNode permanently erases a node and everything below it. It may return before the content of a folder is erased.
func (c *Client) EraseNode(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("library", "nodes", id), query: url.Values{"permanent": {"true"}}}, nil)
}

// RestoreNode moves a node from the trash back to its folder.
func (c *Client) RestoreNode(ctx context.Context, id string) (Node, error) {
	var n Node
	err := c.do(ctx, call{method: http.MethodPost, path: join("library", "nodes", id, "restore"), once: true}, &n)
	return n, err
}

// PublishNode sets whether anyone may read a node and everything below it.
func (c *Client) PublishNode(ctx context.Context, id string, public bool) error {
	return c.do(ctx, call{
		method: http.MethodPut, path: join("library", "nodes", id, "permissions"), body: map[string]bool{"isPublic": public},
	}, nil)
}

// ShareLink grants its holder read access to a node and everything below it.
type ShareLink struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// CreateLink creates a share link with a limited lifetime of at most 30 days.
func (c *Client) CreateLink(ctx context.Context, id string, valid time.Duration) (ShareLink, error) {
	var l ShareLink
	err := c.do(ctx, call{
		method: http.MethodPost, path: join("library", "nodes", id, "links"), body: map[string]string{"expiresIn": valid.String()},
	}, &l)
	return l, err
}

// NodeLinks lists the share links to a node that have not expired.
func (c *Client) NodeLinks(ctx context.Context, id string) ([]ShareLink, error) {
	var list struct {
		Links []ShareLink `json:"links"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("library", "nodes", id, "links")}, &list)
	return list.Links, err
}

// RevokeLinks revokes all share links to a node.
func (c *Client) RevokeLinks(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("library", "nodes", id, "links")}, nil)
}

// LinkedNode returns the node of a share link.
func (c *Client) LinkedNode(ctx context.Context, token string) (Node, error) {
	var n Node
	err := c.do(ctx, libraryRead(Reading{}, "links", token), &n)
	return n, err
}

// RetryLibraryFile processes a Failed or ProcessedPartially file again.
func (c *Client) RetryLibraryFile(ctx context.Context, id string) (Node, error) {
	return c.RetryLibraryFileAs(ctx, id, nil)
}

// RetryLibraryFileAs processes a Failed or ProcessedPartially file again, with options like ReprocessLibraryFileAs.
func (c *Client) RetryLibraryFileAs(ctx context.Context, id string, o *ReadOptions) (Node, error) {
	return c.processAgain(ctx, id, "retry", o)
}

// ReadOptions state how a file is read. The server detects what is empty.
type ReadOptions struct {
	Charset   string `json:"charset,omitempty"`   // of a text or a table, such as gbk
	Header    string `json:"header,omitempty"`    // yes: the first row of a table names its columns; no: it is a row of values
	Delimiter string `json:"delimiter,omitempty"` // of a table: a comma, a semicolon, a vertical bar or a tab, also as the word tab
	Decimal   string `json:"decimal,omitempty"`   // decimal mark of the numbers of a table: a point or a comma
}

// NewLibraryFile describes an upload.
type NewLibraryFile struct {
	Name        string      `json:"name"`
	Size        int64       `json:"size"` // exact size in bytes
	ContentType string      `json:"contentType,omitempty"`
	SHA256      string      `json:"sha256,omitempty"`   // hex; the bucket then rejects other content; not with Parts
	Parts       bool        `json:"parts,omitempty"`    // upload in parts; see Upload
	ParentID    string      `json:"parentId,omitempty"` // empty means the root
	Options     ReadOptions `json:"options,omitzero"`
	Key         string      `json:"-"` // see Reservation
}

// ReservedNode is a file that waits for its upload, with the request that uploads it.
type ReservedNode struct {
	Node
	Upload UploadRequest `json:"upload"`
}

// ReserveLibraryFile creates a Loading file.
func (c *Client) ReserveLibraryFile(ctx context.Context, f NewLibraryFile) (ReservedNode, error) {
	var reserved ReservedNode
	err := c.do(ctx, reservation("library/files", f.Key, f), &reserved)
	return reserved, err
}

// UploadLibraryFile reserves a file, uploads its content from the source, whose Reservation is ignored, and
// confirms the upload. Like Upload, it retries without creating a second file, and uploads large files in parts.
func (c *Client) UploadLibraryFile(ctx context.Context, f NewLibraryFile, src Source) (Node, error) {
	if f.Key == "" {
		f.Key = newKey()
	}
	f.Parts = f.Parts || f.Size > PartsAbove && f.SHA256 == ""
	src.Size, src.ContentType = f.Size, f.ContentType
	var node Node
	err := c.deliver(ctx, src, func() (to delivery, err error) {
		reserved, err := c.ReserveLibraryFile(ctx, f)
		if err != nil {
			return to, err
		}
		to = delivery{file: join("library", "files", reserved.ID), owner: c.ownerID, done: func() error {
			node = reserved.Node
			return nil
		}}
		if reserved.Status == LibraryLoading {
			to.UploadRequest = reserved.Upload
			to.done = func() error {
				node, err = c.libraryUploaded(ctx, reserved.ID, reserved.Upload.UploadID)
				return err
			}
		}
		return to, nil
	})
	return node, err
}

// LibraryUploaded confirms that the content of a file is in the bucket.
func (c *Client) LibraryUploaded(ctx context.Context, id string) (Node, error) {
	return c.libraryUploaded(ctx, id, "")
}

func (c *Client) libraryUploaded(ctx context.Context, id, uploadID string) (Node, error) {
	var n Node
	err := c.do(ctx, call{method: http.MethodPost, path: join("library", "files", id, "uploaded"), body: report(uploadID)}, &n)
	return n, err
}
