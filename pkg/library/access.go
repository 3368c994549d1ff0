package library

import "github.com/assay-project/assay/pkg/area"

// access returns the permissions of each program on the tables and the objects.
func access(cfg Config) map[area.Program][]area.Statement {
	nodes, files, workflows := area.Table(cfg.NodesTable()), area.Table(cfg.FilesTable()), area.Table(cfg.WorkflowsTable())
	objects, all := area.Objects(ObjectPrefix), []string{nodes, files, workflows}
	create, change, remove, check, several := "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem", "dynamodb:BatchGetItem"
	read := []string{"dynamodb:GetItem", "dynamodb:DescribeTable"}
	indexes := []string{nodes + "/index/*", files + "/index/*", workflows + "/index/*"}
	return map[area.Program][]area.Statement{
		area.Ingest: {
			area.Allow("LibraryNodes", []string{create, change, remove, check}, nodes),
			area.Allow("LibraryFiles", []string{create, change, remove}, files),
			area.Allow("LibraryWorkflows", []string{create, check}, workflows),
			area.Allow("LibraryRead", read, all...),
			// To find the depth of a moved folder, and nodes with a name.
			area.Allow("LibraryFolders", []string{"dynamodb:Query"}, nodes+"/index/"+nodesByType.name, nodes+"/index/"+nodesByParent.name),
			area.Allow("LibraryUpload", []string{"s3:GetObject", "s3:PutObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects),
		},
		area.Analyzer: {
			area.Allow("LibraryNodes", []string{create, change, remove}, nodes),
			area.Allow("LibraryFiles", []string{change, remove, check}, files),
			area.Allow("LibraryWorkflows", []string{create, change, remove}, workflows),
			area.Allow("LibraryReadAndSweep", append([]string{"dynamodb:Scan"}, read...), all...),
			area.Allow("LibraryReadSeveral", []string{several}, nodes, files),
			area.Allow("LibraryFolders", []string{"dynamodb:Query"}, nodes+"/index/"+nodesByParent.name),
			area.Allow("LibraryObjects", []string{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}, objects),
		},
		area.Query: {
			area.Allow("LibraryRead", read, all...),
			area.Allow("LibraryReadSeveral", []string{several}, all...),
			area.Allow("LibraryWalk", []string{"dynamodb:Scan"}, nodes), // to build the search index
			area.Allow("LibraryLists", []string{"dynamodb:Query"}, indexes...),
			area.Allow("LibraryFollow", []string{"dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"}, nodes+"/stream/*"),
			area.Allow("LibraryDownload", []string{"s3:GetObject"}, objects),
		},
	}
}
