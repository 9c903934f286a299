"""What runs in a cluster: its operators, and what they do in Azure."""
