package client

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// States of a file of the library, and the state of folders.
const (
	LibraryCreated            = "Created"
	LibraryLoading            = "Loading"
	LibraryLoaded             = "Loaded"
	LibraryProcessed          = "Processed"
	LibraryProcessedPartially = "ProcessedPartially"
	LibraryFailed             = "Failed"
)

// Types of nodes.
const (
	NodeUser   = "User" // root folder of an owner
	NodeFolder = "Folder"
	NodeFile   = "File"
	NodeModel  = "Model"
)

// Node is a folder, a file or a model of the library.
type Node struct {
	ID          string      `json:"id"`
	Type        string      `json:"type"`
	SubType     string      `json:"subType,omitempty"` // workflow type of a file, such as Image or Prediction
	Name        string      `json:"name"`
	DisplayName string      `json:"displayName,omitempty"`
	OwnedBy     string      `json:"ownedBy,omitempty"`  // only for the owner
	ParentID    string      `json:"parentId,omitempty"` // empty in the trash
	TrashedFrom string      `json:"trashedFrom,omitempty"`
	Status      string      `json:"status"`
	Trashed     bool        `json:"trashed"`
	Length      *int64      `json:"length,omitempty"` // size of a file in bytes
	Images      []NodeImage `json:"images,omitempty"`
	// TotalRecords is the number of molecules, spectra or rows in the file.
	TotalRecords int64            `json:"totalRecords,omitempty"`
	Permissions  *NodePermissions `json:"permissions,omitempty"` // only for the owner
	// ErrorMessage says why a file is Failed, or what is missing from a ProcessedPartially one. It is absent in search hits.
	ErrorMessage string    `json:"errorMessage,omitempty"`
	Version      int64     `json:"version"` // increases with every change
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// IsFolder reports whether the node can have children.
func (n Node) IsFolder() bool { return n.Type == NodeFolder || n.Type == NodeUser }

// IsFile reports whether the node has content that is processed: it is a file or a model.
func (n Node) IsFile() bool { return n.Type == NodeFile || n.Type == NodeModel }

// Final reports whether the node is a folder, or a file or model whose processing has finished.
func (n Node) Final() bool {
	switch n.Status {
	case LibraryProcessed, LibraryProcessedPartially, LibraryFailed:
		return true
	}
	return !n.IsFile()
}

// NodeImage is a picture of a file.
type NodeImage struct {
	ID       string `json:"id"`
	Width    int    `json:"width"` // pixels
	Height   int    `json:"height"`
	MimeType string `json:"mimeType"`
	Length   int64  `json:"length"` // bytes
}

// NodePermissions lists who may read a node in addition to its owner.
type NodePermissions struct {
	IsPublic bool     `json:"isPublic"`
	Users    []string `json:"users"`
	Groups   []string `json:"groups"`
}

// Reading selects how to read a node. The zero value reads as the owner.
type Reading struct {
	Link string        // token of a share link
	Wait time.Duration // if positive, the server may delay the response until the node is final
}

func (r Reading) query() url.Values {
	query := url.Values{}
	if r.Link != "" {
		query.Set("link", r.Link)
	}
	if r.Wait > 0 {
		query.Set("wait", r.Wait.String())
	}
	return query
}

func libraryRead(r Reading, segments ...string) call {
	return call{method: http.MethodGet, path: join(append([]string{"library"}, segments...)...), query: r.query()}
}

// Root returns the root folder of the owner.
func (c *Client) Root(ctx context.Context) (Node, error) {
	var n Node
	err := c.do(ctx, libraryRead(Reading{}, "nodes", "root"), &n)
	return n, err
}

// Node returns a node.
func (c *Client) Node(ctx context.Context, id string, r Reading) (Node, error) {
	var n Node
	err := c.do(ctx, libraryRead(r, "nodes", id), &n)
	return n, err
}

// WaitNode returns the node when it is final. It waits until ctx is done.
func (c *Client) WaitNode(ctx context.Context, id string) (Node, error) {
	for {
		n, err := c.Node(ctx, id, Reading{Wait: longPoll})
		if err != nil || n.Final() {
			return n, err
		}
	}
}

// NodePath returns a node and the folders above it, starting at the top.
func (c *Client) NodePath(ctx context.Context, id string, r Reading) ([]Node, error) {
	var path struct {
		Nodes []Node `json:"nodes"`
	}
	err := c.do(ctx, libraryRead(r, "nodes", id, "path"), &path)
	return path.Nodes, err
}

// NodePage is one page of a list. NextCursor is empty on the last page.
type NodePage struct {
	Nodes      []Node `json:"nodes"`
	NextCursor string `json:"nextCursor,omitempty"`
}

// nodesPerPage is the page size of lists that are read completely.
const nodesPerPage = 1000

// nodes iterates over the nodes of a list. It stops after the first error.
func (c *Client) nodes(ctx context.Context, op call) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		op.query.Set("limit", strconv.Itoa(nodesPerPage))
		for {
			var page NodePage
			if err := c.do(ctx, op, &page); err != nil {
				yield(Node{}, err)
				return
			}
			for _, n := range page.Nodes {
				if !yield(n, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			op.query.Set("cursor", page.NextCursor)
		}
	}
}

// Children iterates over the nodes in a folder, newest first.
func (c *Client) Children(ctx context.Context, folderID string, r Reading) iter.Seq2[Node, error] {
	return c.nodes(ctx, libraryRead(r, "nodes", folderID, "children"))
}

// NodesByType iterates over the owner's nodes of a type, newest first, without the trash.
func (c *Client) NodesByType(ctx context.Context, kind string) iter.Seq2[Node, error] {
	op := libraryRead(Reading{}, "nodes")
	op.query.Set("type", kind)
	return c.nodes(ctx, op)
}

// Trash iterates over the owner's trash, newest first.
func (c *Client) Trash(ctx context.Context) iter.Seq2[Node, error] {
	return c.nodes(ctx, libraryRead(Reading{}, "nodes", "trash"))
}

// NodeContent returns the content of a file. The caller closes it.
func (c *Client) NodeContent(ctx context.Context, id string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "files", id, "content"))
}

// NodeImage returns the picture of a file with an id such as 300. The caller closes it.
func (c *Client) NodeImage(ctx context.Context, id, image string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "files", id, "images", image))
}

// NodeZip returns a folder or file as a zip. The caller closes it.
func (c *Client) NodeZip(ctx context.Context, id string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "nodes", id, "zip"))
}

func (c *Client) body(ctx context.Context, op call) (io.ReadCloser, error) {
	op.header = http.Header{"Accept": {"*/*"}}
	resp, err := c.open(ctx, op)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// LibraryWorkflow is the state of the processing of a file or a model.
type LibraryWorkflow struct {
	Type           string        `json:"type"`                 // File, Training or Prediction
	TrainingID     string        `json:"trainingId,omitempty"` // id of the model that the workflow trains
	Run            int64         `json:"run"`
	State          string        `json:"state"`
	FailureMessage string        `json:"failureMessage,omitempty"`
	Steps          []LibraryStep `json:"steps"` // of the steps that process records, only the failed ones
	Chunks         *struct {
		Total  int `json:"total"`
		Open   int `json:"open"`
		Done   int `json:"done"`
		Failed int `json:"failed"`
	} `json:"chunks,omitempty"` // steps that process 1,000 records each
}

// LibraryStep is a step of a workflow.
type LibraryStep struct {
	ID       string `json:"id"`
	State    string `json:"state"` // open, done, failed, skipped
	Reason   string `json:"reason,omitempty"`
	Attempts int    `json:"attempts"`
	MS       int64  `json:"ms"`
	Engine   string `json:"engine,omitempty"`
}

// Workflow returns the workflow of a file.
func (c *Client) Workflow(ctx context.Context, fileID string) (LibraryWorkflow, error) {
	var w LibraryWorkflow
	err := c.do(ctx, libraryRead(Reading{}, "files", fileID, "workflow"), &w)
	return w, err
}
