output "environment_variables" {
  description = "Variables for ingest, analyzer and query."
  value = {
    ASSAY_ENV                   = var.environment
    ASSAY_S3_BUCKET             = local.buckets.files
    ASSAY_PHOTOJOB_TEMP_BUCKET  = local.buckets.temp
    ASSAY_PHOTOJOB_FINAL_BUCKET = local.buckets.final
    ASSAY_TEXTFILE_TABLE        = aws_dynamodb_table.text_analyzer_history.name
    ASSAY_FEED_TABLE            = aws_dynamodb_table.sentiment_items_primary.name
    ASSAY_FEED_DASHBOARD_TABLE  = aws_dynamodb_table.sentiment_items_dashboard.name
    ASSAY_PHOTOJOB_TABLE        = aws_dynamodb_table.photoeditor_jobs.name
    LEANDA_NODES_TABLE          = aws_dynamodb_table.leanda_ng_nodes.name
    LEANDA_FILES_TABLE          = aws_dynamodb_table.leanda_ng_files.name
    LEANDA_WORKFLOW_STATE_TABLE = aws_dynamodb_table.leanda_ng_workflow_state.name
    ASSAY_PLATFORM_TABLE        = aws_dynamodb_table.assay_platform.name
    ASSAY_SQS_URL               = aws_sqs_queue.notices.url
  }
}

output "table_arns" {
  description = "ARNs of the tables by resource."
  value       = local.table_arns
}

output "role_arns" {
  description = "ARNs of the roles by program."
  value       = { for program, role in aws_iam_role.program : program => role.arn }
}

output "policy_arns" {
  description = "ARNs of the policies by program and area, such as ingest/library, for roles of your own."
  value       = { for name, policy in aws_iam_policy.program : name => policy.arn }
}
