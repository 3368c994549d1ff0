package terraform

import "strings"

// seeds describes the tables as the data models state them, in the environment dev or prod, with replicas in prod. The model of
// text files (000) states no settings, and that of the library (001) the keys, the indexes and KMS. Those of photo jobs (003)
// and of the feed (004) contain resources for Terraform, and the capacity in production. The change stream of nodes, the table
// assay-platform and the tag Environment of all tables are not in the models.
func seeds(env string) map[string]string {
	jobs, jobIndex, replicas := "billing PAY_PER_REQUEST", "", ""
	if env == "prod" {
		jobs, jobIndex, replicas = "billing PROVISIONED 25/10", " 25/10", "replica us-west-2\nreplica eu-west-1\nreplica ap-south-1"
	}
	tables := map[string]string{
		"text-analyzer-history": `
			key PK:S SK:S
			billing PAY_PER_REQUEST`,
		"leanda-ng-" + env + "-nodes": `
			key id:S
			billing PAY_PER_REQUEST
			index parentId-createdDateTime-index parentId:S createdDateTime:S ALL
			index type-ownedBy-createdDateTime-index type#ownedBy:S createdDateTime:S ALL
			stream NEW_AND_OLD_IMAGES
			encryption`,
		"leanda-ng-" + env + "-files": `
			key id:S
			billing PAY_PER_REQUEST
			index parentId-createdDateTime-index parentId:S createdDateTime:S KEYS_ONLY
			index ownedBy-createdDateTime-index ownedBy:S createdDateTime:S KEYS_ONLY
			index blobId-index blobId:S KEYS_ONLY
			encryption`,
		"leanda-ng-" + env + "-workflow-state": `
			key correlationId:S
			billing PAY_PER_REQUEST
			index workflowType-createdAt-index workflowType:S createdAt:S KEYS_ONLY
			encryption`,
		"photoeditor-" + env + "-jobs": `
			key jobId:S
			` + jobs + `
			index userId-createdAt-index userId:S createdAt:N ALL` + jobIndex + `
			index status-createdAt-index status:S createdAt:N ALL` + jobIndex + `
			ttl ttl
			recovery
			encryption
			tag Name=photoeditor-` + env + `-jobs`,
		"sentiment-items-primary": `
			key source_id:S ingested_at:S
			billing PAY_PER_REQUEST
			stream NEW_AND_OLD_IMAGES
			ttl expires_at
			encryption
			recovery
			` + replicas + `
			tag Feature=001-interactive-dashboard-demo
			tag TableType=primary-write`,
		"sentiment-items-dashboard": `
			key day_partition:S ingested_at:S
			billing PAY_PER_REQUEST
			index by_sentiment day_partition:S sentiment_score_combined:S ALL
			index by_tag tag:S ingested_at:S ALL
			ttl expires_at
			encryption
			tag Feature=001-interactive-dashboard-demo
			tag TableType=read-optimized-dashboard`,
		"assay-platform": `
			key PK:S SK:S
			billing PAY_PER_REQUEST
			ttl expiresAt`,
	}
	for name, text := range tables {
		lines := []string{"tag Environment=" + env}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		tables[name] = sorted(lines)
	}
	return tables
}
