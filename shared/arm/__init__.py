"""What every Azure resource provider needs: errors, resource ids, operations, paging, headers."""
